import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type DocumentPlace, PlaceError } from '../../../../src/main/managed/document-place.ts';
import { FolderPlace } from '../../../../src/main/managed/folder-place.ts';
import { secretServer } from '../../../support/managed/secret-server.ts';

const NOW = new AbortController().signal;
const secret = secretServer();
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'place-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs something right before the next change gets its name. The process is as before then. */
function beforeNextLink(meanwhile: () => Promise<void>): void {
  const { link } = fs;
  const restore = (): void => {
    fs.link = link;
    syncBuiltinESMExports();
  };
  onTestFinished(restore);
  fs.link = async (from, to) => {
    restore();
    await meanwhile();
    return link(from, to);
  };
  syncBuiltinESMExports();
}

/** Adds a line, as often as it takes. */
async function append(place: DocumentPlace, line: string): Promise<void> {
  for (;;) {
    const { text, version } = await place.read(NOW);
    if ((await place.replace(`${text}${line}\n`, version, NOW)) !== undefined) return;
  }
}

describe.each<[string, () => DocumentPlace]>([
  ['a folder', () => new FolderPlace(folder)],
  ['a Secret', () => secret.place],
])('%s', (_, open) => {
  it('is empty before the first change, and replaced only by a writer that has read the last one', async () => {
    const place = open();
    const { text, version } = await place.read(NOW);
    expect(text).toBe('');
    expect(await place.version(NOW)).toBe(version);
    const made = await place.replace('one', version, NOW);
    expect(made).not.toBe(version);
    expect(await place.replace('two', version, NOW)).toBeUndefined();
    expect(await place.read(NOW)).toEqual({ text: 'one', version: made });
    expect(await place.version(NOW)).toBe(made);
  });

  it('loses no change of many writers at a time', async () => {
    const lines = Array.from({ length: 12 }, (_none, index) => `line ${String(index)}`);
    const places = lines.map(() => open());
    await Promise.all(lines.map((line, index) => append(places[index] ?? open(), line)));
    const { text } = await open().read(NOW);
    expect(text.trim().split('\n').toSorted()).toEqual(lines.toSorted());
  });
});

describe('a folder', () => {
  const write = async (place: DocumentPlace, text: string): Promise<void> => {
    expect(await place.replace(text, await place.version(NOW), NOW)).toBeDefined();
  };

  it('keeps some generations, each whole, readable by its owner alone, and no drafts', async () => {
    const place: DocumentPlace = new FolderPlace(folder);
    for (let change = 1; change <= 25; change += 1) await write(place, `change ${String(change)}`);
    const names = readdirSync(folder).toSorted();
    expect(names).toHaveLength(20);
    expect(names.at(-1)).toBe('000000000025.json');
    expect(statSync(join(folder, '000000000025.json')).mode & 0o077).toBe(0);
    expect((await new FolderPlace(folder).read(NOW)).text).toBe('change 25');
  });

  it('never acknowledges a change of a writer that stalled until its generation was made and removed', async () => {
    const place: DocumentPlace = new FolderPlace(folder);
    const stalled: DocumentPlace = new FolderPlace(folder);
    const { version } = await stalled.read(NOW);
    const meanwhile = async (): Promise<void> => {
      for (let change = 1; change <= 25; change += 1) await write(place, `change ${String(change)}`);
    };
    beforeNextLink(meanwhile);
    const late = stalled.replace('late', version, NOW);
    await expect(late).rejects.toMatchObject({ name: 'PlaceError', lost: true });
    expect((await place.read(NOW)).text).toBe('change 25');
  });

  it('never goes back, and is no place when it is gone', async () => {
    const place: DocumentPlace = new FolderPlace(folder);
    await write(place, 'one');
    await write(place, 'two');
    unlinkSync(join(folder, '000000000002.json'));
    await expect(place.version(NOW)).rejects.toThrow(/has lost the change 2/);
    rmSync(folder, { recursive: true });
    await expect(place.read(NOW)).rejects.toBeInstanceOf(PlaceError);
  });

  it('refuses a change of a document that others have replaced, under whatever number', async () => {
    const place: DocumentPlace = new FolderPlace(folder);
    await write(place, 'one');
    await write(place, 'two');
    const { version } = await place.read(NOW);
    // The volume is put back to the first change, and others go on from there.
    unlinkSync(join(folder, '000000000002.json'));
    await write(new FolderPlace(folder), 'other');
    expect(await place.version(NOW)).not.toBe(version);
    expect(await place.replace('three', version, NOW)).toBeUndefined();
    expect((await place.read(NOW)).text).toBe('other');
    expect(readdirSync(folder)).toHaveLength(2);
  });

  it('removes drafts of writers that have died, and none of those that are at work', async () => {
    const draft = (): string => join(folder, `.${randomUUID()}.draft`);
    const [dead, busy] = [draft(), draft()];
    for (const file of [dead, busy]) writeFileSync(file, 'half');
    const longAgo = Date.now() / 1000 - 3600;
    utimesSync(dead, longAgo, longAgo);
    await write(new FolderPlace(folder), 'one');
    expect([existsSync(dead), existsSync(busy)]).toEqual([false, true]);
  });

  it('that does not answer is left alone until it does', async () => {
    const place: DocumentPlace = new FolderPlace(folder);
    await write(place, 'one');
    const pipe = join(folder, '000000000002.json');
    // To open it waits until there is a writer.
    execFileSync('mkfifo', [pipe]);
    const read = place.read(AbortSignal.timeout(50));
    await expect(read).rejects.toMatchObject({
      name: 'PlaceError',
      message: expect.stringContaining('in time') as unknown,
    });
    await expect(place.version(NOW)).rejects.toThrow('still waits');
    writeFileSync(pipe, 'two');
    await vi.waitFor(async () => expect((await place.version(NOW)).split('-')[0]).toBe('2'));
  });

  it('takes a change that has no bytes yet for none', async () => {
    const place: DocumentPlace = new FolderPlace(folder);
    await write(place, 'one');
    writeFileSync(join(folder, '000000000002.json'), '');
    await expect(place.read(NOW)).rejects.toThrow(/change 2 is empty/);
  });
});

describe('a Secret', () => {
  it('is looked at by its metadata alone', async () => {
    await secret.place.version(NOW);
    expect(secret.server.asked).toEqual(['GET metadata']);
  });

  it('keeps its other keys', async () => {
    secret.server.data = { other: 'dGV4dA==' };
    expect(await secret.place.replace('one', await secret.place.version(NOW), NOW)).toBeDefined();
    expect(secret.server.data).toEqual({ other: 'dGV4dA==', 'accounts.json': Buffer.from('one').toString('base64') });
  });

  it.each<[number, boolean]>([
    [403, false],
    [404, false],
    [422, false],
    [500, true],
  ])('answered with %i: a change may have been made: %s', async (status, lost) => {
    const version = await secret.place.version(NOW);
    secret.server.status = status;
    await expect(secret.place.replace('one', version, NOW)).rejects.toMatchObject({ name: 'PlaceError', lost });
    await expect(secret.place.read(NOW)).rejects.toMatchObject({
      message: expect.stringContaining(String(status)) as unknown,
    });
  });
});
