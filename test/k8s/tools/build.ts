import { BINARIES, buildBinary } from './binaries.ts';

/** `node test/k8s/tools/build.ts [NAME...]`: builds what `npm run test:k8s` needs, one after the other. */
const wanted = process.argv.length > 2 ? BINARIES.filter((name) => process.argv.includes(name)) : BINARIES;
for (const name of wanted) {
  const started = Date.now();
  const file = await buildBinary(name);
  process.stdout.write(`${name}: ${file} (${Math.round((Date.now() - started) / 1000)} s)\n`);
}
