import type { Condition, Revision } from '../../src/store/blob-store.ts';

/** One state of an object: `generation` changes with the bytes, `metageneration` with the metadata. Both decimal. */
interface Generations {
  readonly generation: string;
  readonly metageneration: string;
}

export type QueryPairs = (readonly [name: string, value: string])[];

export function revisionFrom({ generation, metageneration }: Generations): Revision {
  return `${generation}.${metageneration}` as Revision;
}

const REVISION = /^(\d{1,19})\.(\d{1,19})$/;

/** Generations look like microseconds since 1970: nothing has this one, so a condition on it never holds. */
const NEVER: Generations = { generation: '1', metageneration: '1' };

/** @param revision also one of another service, which nothing here can have */
export function parseRevision(revision: Revision): Generations {
  const [, generation, metageneration] = REVISION.exec(revision) ?? [];
  return generation === undefined || metageneration === undefined ? NEVER : { generation, metageneration };
}

/**
 * Always both: a generation alone would overlook a change of metadata.
 * https://cloud.google.com/storage/docs/request-preconditions
 * @param prefix `ifSource` for the source of a copy
 */
export function matchQuery(revision: Revision, prefix: 'if' | 'ifSource' = 'if'): QueryPairs {
  const { generation, metageneration } = parseRevision(revision);
  return [
    [`${prefix}GenerationMatch`, generation],
    [`${prefix}MetagenerationMatch`, metageneration],
  ];
}

/** Generation 0 stands for "no live object". */
export function conditionQuery(condition: Condition | undefined): QueryPairs {
  if (condition === undefined) return [];
  return condition.kind === 'absent' ? [['ifGenerationMatch', '0']] : matchQuery(condition.revision);
}
