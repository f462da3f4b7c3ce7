import type { Operation, VersionPick } from './operation.ts';

/** An operation, on whatever key. */
export type Dish = Omit<Operation, 'key'>;

/** What clients do to a key of a bucket that never had versioning. */
export const NEVER_MENU: readonly Dish[] = [
  { kind: 'put', mode: 'never' },
  { kind: 'put', mode: 'never', streamed: true },
  { kind: 'put', mode: 'never', condition: 'absent' },
  { kind: 'put', mode: 'never', condition: 'current' },
  { kind: 'complete', mode: 'never' },
  { kind: 'complete', mode: 'never', condition: 'absent' },
  { kind: 'copy', mode: 'never' },
  { kind: 'copy', mode: 'never', condition: 'current' },
  { kind: 'delete', mode: 'never' },
  { kind: 'tag', mode: 'never' },
  { kind: 'acl', mode: 'never' },
  { kind: 'get', mode: 'never' },
  { kind: 'find', mode: 'never' },
  { kind: 'list', mode: 'never' },
  { kind: 'listVersions', mode: 'never' },
  { kind: 'settle', mode: 'never' },
  { kind: 'sweep', mode: 'never' },
];

/** Writes of both states of a versioned bucket, together: so switches between them are under way all the time. */
const VERSIONED_MENU: readonly Dish[] = [
  { kind: 'put', mode: 'enabled' },
  { kind: 'put', mode: 'enabled', streamed: true },
  { kind: 'put', mode: 'suspended' },
  { kind: 'put', mode: 'suspended', streamed: true },
  { kind: 'put', mode: 'enabled', condition: 'absent' },
  { kind: 'put', mode: 'suspended', condition: 'absent' },
  { kind: 'put', mode: 'enabled', condition: 'current' },
  { kind: 'put', mode: 'suspended', condition: 'current' },
  { kind: 'complete', mode: 'enabled' },
  { kind: 'complete', mode: 'suspended' },
  { kind: 'complete', mode: 'enabled', condition: 'current' },
  { kind: 'copy', mode: 'enabled' },
  { kind: 'copy', mode: 'suspended' },
  { kind: 'delete', mode: 'enabled' },
  { kind: 'delete', mode: 'suspended' },
  { kind: 'tag', mode: 'enabled' },
  { kind: 'acl', mode: 'enabled' },
  { kind: 'get', mode: 'enabled' },
  { kind: 'find', mode: 'enabled' },
  { kind: 'list', mode: 'enabled' },
  { kind: 'listVersions', mode: 'enabled' },
  { kind: 'settle', mode: 'enabled' },
  { kind: 'sweep', mode: 'enabled' },
];

function ofVersion(version: VersionPick): Dish[] {
  return [
    { kind: 'deleteVersion', mode: 'enabled', version },
    { kind: 'getVersion', mode: 'enabled', version },
    { kind: 'tag', mode: 'enabled', version },
    // Where locks are, versioning is never suspended: a null version can only have been there before.
    ...(version === 'null' ? [] : [{ kind: 'hold', mode: 'enabled', version } as const]),
  ];
}

/** @param versions how many versions with an id the key has */
export function versionedMenu(versions: number): readonly Dish[] {
  return [
    ...VERSIONED_MENU,
    ...ofVersion('null'),
    ...Array.from({ length: versions }, (_, index) => ofVersion(index)).flat(),
  ];
}

/** What meets in the first moments after versioning was enabled: plain PUTs that began before, and what comes after. */
export const WINDOW_MENU: readonly Dish[] = [
  { kind: 'put', mode: 'never' },
  { kind: 'put', mode: 'never' },
  { kind: 'put', mode: 'never', condition: 'absent' },
  { kind: 'put', mode: 'never', condition: 'current' },
  { kind: 'complete', mode: 'never' },
  { kind: 'tag', mode: 'never' },
  { kind: 'put', mode: 'enabled' },
  { kind: 'put', mode: 'enabled', streamed: true },
  { kind: 'copy', mode: 'enabled' },
  { kind: 'complete', mode: 'enabled' },
  { kind: 'delete', mode: 'enabled' },
  { kind: 'put', mode: 'suspended' },
  { kind: 'get', mode: 'enabled' },
  { kind: 'tag', mode: 'enabled' },
];
