# For a tap, as Formula/pincite.rb. `sha256` is that of the sdist on PyPI; `brew update-python-resources pincite`
# writes the resources.
class Pincite < Formula
  include Language::Python::Virtualenv

  desc "Citations ranked by the text around the cursor, with supporting sentences"
  homepage "https://github.com/OWNER/pincite"
  url "https://pypi.org/packages/source/p/pincite/pincite-0.2.0.tar.gz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license "MIT"

  # Homebrew builds all resources from source: safetensors needs Rust, rapidfuzz CMake.
  depends_on "cmake" => :build
  depends_on "ninja" => :build
  depends_on "rust" => :build
  depends_on "libyaml"
  depends_on "numpy"
  depends_on "python@3.13"

  uses_from_macos "libxml2"
  uses_from_macos "libxslt"

  pypi_packages exclude_packages: "numpy"

  def install
    virtualenv_install_with_resources
  end

  test do
    (testpath/"paper.tex").write <<~'TEX'
      \documentclass{article}\begin{document}Words \cite{nobody}.\bibliography{refs}\end{document}
    TEX
    (testpath/"refs.bib").write "@book{knuth, author = {Knuth, Donald}, title = {The Art}, year = 1968}"
    assert_match "nobody", shell_output("#{bin}/pincite check paper.tex", 1)
  end
end
