import process from 'node:process';
import { Client, type Orders, WRITING } from './client.ts';

// Its own process: it runs where the cluster is. Stops writing at the end of its standard input.
const client = new Client(JSON.parse(process.argv[2] ?? '') as Orders);
const stop = new AbortController();
process.stdin.resume().once('end', () => stop.abort());
await client.createBucket();
let told = false;
await client.writeUntil(stop.signal, () => {
  if (!told) process.stdout.write(`${WRITING}\n`);
  told = true;
});
await client.verify();
process.stdout.write(`${JSON.stringify(client.report())}\n`);
