// kordoc, warm, for bench_parse.py: the same conversation as peer_reader.py.
// usage: node peer_reader.mjs FOLDER_OF_NODE_MODULES OUT
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { join } from "node:path";

const [modules, out] = process.argv.slice(2);
const { parse } = createRequire(join(modules, "x.js"))("kordoc");
const say = (line) => process.stdout.write(line + "\n");
console.log = console.info = console.warn = () => {};
say("ready");
for await (const line of createInterface({ input: process.stdin })) {
  const path = JSON.parse(line);
  const started = process.hrtime.bigint();
  let text = "", problem = "";
  try {
    const result = await parse(readFileSync(path));
    if (result.success) text = result.markdown;
    else problem = String(result.error ?? "not read").slice(0, 200);
  } catch (failure) {
    problem = String(failure).slice(0, 200);
  }
  const seconds = Number(process.hrtime.bigint() - started) / 1e9;
  writeFileSync(join(out, createHash("sha256").update(path).digest("hex")), text);
  say(JSON.stringify({ seconds, problem }));
}
process.exit(0);
