#!/usr/bin/env bash
# setup.sh DEST: the server of VS Code 1.100.3 from its package, without compiling anything, in DEST/vscode,
# and the node that runs it as DEST/node.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$1" && mkdir -p "$1" && cd "$1"
export npm_config_loglevel=error npm_config_audit=false npm_config_fund=false
package=$(npm pack --silent code-server@4.100.3)
tar xzf "$package" && rm "$package"
mv package/lib/vscode vscode && rm -rf package
(cd vscode && npm install --silent --omit=dev --ignore-scripts) # npm ci fails: its lock is out of step
ripgrep=vscode/node_modules/@vscode/ripgrep/bin
mkdir -p "$ripgrep" && ln -sf "$(command -v rg || echo /usr/bin/rg)" "$ripgrep/rg"
cp "$here/spdlog.cjs" vscode/node_modules/@vscode/spdlog/index.js
ln -s "$(command -v node)" node
touch .ready
