// One replica with several workers: they share its ports. The primary serves nothing.
import cluster from 'node:cluster';
import { fileURLToPath } from 'node:url';
import process from 'node:process';

const [count, ...args] = process.argv.slice(2);

cluster.setupPrimary({ exec: fileURLToPath(new URL('../../src/start.mjs', import.meta.url)), args });
cluster.on('message', (worker, message) => process.send?.({ ...message, pid: worker.process.pid }));
cluster.on('exit', (worker) => {
  if (!worker.exitedAfterDisconnect && !stopping) process.exit(1);
});

let stopping = false;
function stop() {
  stopping = true;
  for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGTERM');
}
process.on('SIGTERM', stop);
process.on('SIGINT', stop);
process.on('disconnect', stop);

for (let i = 0; i < Number(count); i += 1) cluster.fork();
