# For nixpkgs, as pkgs/by-name/pi/pincite/package.nix. `hash` is that of the sdist on PyPI.
{
  lib,
  python3Packages,
  fetchPypi,
}:

python3Packages.buildPythonApplication rec {
  pname = "pincite";
  version = "0.2.0";
  pyproject = true;

  src = fetchPypi {
    inherit pname version;
    hash = lib.fakeHash;
  };

  build-system = [ python3Packages.hatchling ];

  dependencies = with python3Packages; [
    attrs
    cattrs
    joblib
    lsprotocol
    lxml
    msgspec
    numpy
    platformdirs
    py3langid
    pylatexenc
    pypdfium2
    pystemmer
    pyyaml
    rapidfuzz
    regex
    rich
    safetensors
    snowballstemmer
    typer
  ];

  pythonImportsCheck = [ "pincite" ];

  meta = {
    description = "Citation assistant for LaTeX, Markdown and Typst";
    homepage = "https://github.com/OWNER/pincite";
    license = lib.licenses.mit;
    mainProgram = "pincite";
  };
}
