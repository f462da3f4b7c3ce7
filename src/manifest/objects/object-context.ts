import type { Clock } from '../records/clock.ts';
import type { Settler } from './settle.ts';

/** What the object functions share. */
export interface ObjectsContext {
  readonly clock: Clock;
  readonly settler: Settler;
}
