// Runs a WebAssembly program with WASI: node run-wasm.cjs PROGRAM ARGUMENTS...
const fs = require("node:fs");
const { WASI } = require("node:wasi");

const wasi = new WASI({ version: "preview1", args: process.argv.slice(2), returnOnExit: true });
const module_ = new WebAssembly.Module(fs.readFileSync(process.argv[2]));
const imports = { wasi_snapshot_preview1: wasi.wasiImport };
process.exitCode = wasi.start(new WebAssembly.Instance(module_, imports));
