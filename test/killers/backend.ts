import process from 'node:process';
import { startGcsDouble } from '../../adapters/doubles/index.ts';

/*
 * The double of Cloud Storage, in a process of its own: what clients store is no memory of the gateway, as little as
 * with a cloud. Tells its parent where it is, and ends with it.
 */
const { endpoint } = await startGcsDouble();
process.on('disconnect', () => process.exit(0));
process.send?.({ endpoint });
