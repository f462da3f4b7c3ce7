import process from 'node:process';
import { ownPlace } from './workers/place.ts';

/**
 * Resolves with the reason why this process is to stop: a signal, or the end of the channel to the process that started
 * it. A second signal ends the process at once. It does not end a worker, which may get the signal of its terminal or
 * service manager besides that of its supervisor.
 */
export function stopSignal(): Promise<string> {
  const isWorker = ownPlace() !== undefined;
  return new Promise((resolved) => {
    let told = false;
    const onSignal = (signal: NodeJS.Signals): void => {
      if (told && !isWorker) process.exit(1);
      told = true;
      resolved(signal);
    };
    process.on('SIGINT', onSignal);
    process.on('SIGTERM', onSignal);
    // Nobody is left to send a signal.
    process.once('disconnect', () => resolved('disconnect'));
  });
}
