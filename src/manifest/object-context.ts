import type { Clock } from './clock.ts';
import type { Settler } from './settle.ts';

/** What the object functions share. */
export interface ObjectsContext {
  readonly clock: Clock;
  readonly settler: Settler;
}
