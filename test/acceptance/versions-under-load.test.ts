import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandOutput,
  PutBucketVersioningCommand,
  PutObjectCommand,
  PutObjectTaggingCommand,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { client, emptyVersions, newBucket, versionPages } from './support/client.ts';
import { propertySeed } from '../support/property-seed.ts';

const CLIENTS = 20;
const TURNS = 30;
const KEYS = ['a', 'b', 'dir/c', 'dir/d', 'e'];
/** Contention is answered with these; the client may try again. */
const BUSY = new Set([409, 500, 503]);

interface Version {
  readonly key: string;
  readonly id: string;
  readonly text?: string;
}

/** What all clients were told, together. */
class Ledger {
  /** Acknowledged, and nobody has tried to delete it. */
  readonly kept = new Map<string, Version>();
  /** Somebody was told that it is gone. */
  readonly gone = new Set<string>();

  add(version: Version): void {
    expect(this.kept.has(version.id), `${version.id} was given out twice`).toBe(false);
    this.kept.set(version.id, version);
  }

  /** Takes a version of a key out, for its deletion: from now on it may be there or not. */
  take(key: string, choice: number): Version | undefined {
    const versions = [...this.kept.values()].filter((version) => version.key === key);
    const version = versions[Math.floor(choice * versions.length)];
    if (version !== undefined) this.kept.delete(version.id);
    return version;
  }
}

const replicas = [
  client('http', { replica: 0, maxAttempts: 1 }),
  client('http', { replica: 1, maxAttempts: 1 }),
] as const;
const patient = client('http', { replica: 1 });

async function unlessBusy<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof S3ServiceException && BUSY.has(error.$metadata.httpStatusCode ?? 0)) return undefined;
    throw error;
  }
}

describe('twenty clients on five keys, through two gateways', () => {
  let Bucket: string;
  let remove: () => Promise<void>;

  beforeAll(async () => {
    ({ name: Bucket, remove } = await newBucket(patient));
    await patient.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status: 'Enabled' } }));
  });
  afterAll(async () => {
    await emptyVersions(patient, Bucket);
    await remove();
  });

  it('lose no version, show none twice, and always agree on the latest', { timeout: 180_000 }, async () => {
    const ledger = new Ledger();
    await Promise.all(Array.from({ length: CLIENTS }, (_, index) => runClient(ledger, index)));

    const listed = await allVersions();
    const ids = listed.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(
      [...ledger.kept.keys()].filter((id) => !ids.includes(id)),
      'acknowledged and missing',
    ).toEqual([]);
    expect(
      [...ledger.gone].filter((id) => ids.includes(id)),
      'deleted and still there',
    ).toEqual([]);
    expect(ledger.kept.size).toBeGreaterThan(CLIENTS);
    for (const key of KEYS) {
      await expectLatest(
        key,
        listed.filter((version) => version.key === key),
      );
    }
    for (const { key, id, text } of ledger.kept.values()) {
      if (text !== undefined) expect(await read(key, id)).toBe(text);
    }
  });

  async function runClient(ledger: Ledger, index: number): Promise<void> {
    let state = propertySeed + index * 7919;
    const random = (): number => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
      return state / 2_147_483_648;
    };
    for (let turn = 0; turn < TURNS; turn++) {
      const s3 = random() < 0.5 ? replicas[0] : replicas[1];
      const key = KEYS[Math.floor(random() * KEYS.length)] ?? 'a';
      const choice = random();
      const target = { Bucket, Key: key };
      if (choice < 0.45) {
        const text = `${String(index)}/${String(turn)}`;
        const put = await unlessBusy(s3.send(new PutObjectCommand({ ...target, Body: text })));
        if (put !== undefined) ledger.add({ key, id: put.VersionId ?? 'none', text });
      } else if (choice < 0.55) {
        const marker = await unlessBusy(s3.send(new DeleteObjectCommand(target)));
        if (marker !== undefined) ledger.add({ key, id: marker.VersionId ?? 'none' });
      } else if (choice < 0.75) {
        const version = ledger.take(key, random());
        if (version === undefined) continue;
        const deleted = await unlessBusy(s3.send(new DeleteObjectCommand({ ...target, VersionId: version.id })));
        if (deleted !== undefined) ledger.gone.add(version.id);
      } else if (choice < 0.85) {
        await unlessMissing(
          s3.send(
            new PutObjectTaggingCommand({ ...target, Tagging: { TagSet: [{ Key: 'by', Value: String(index) }] } }),
          ),
        );
      } else if (choice < 0.95) {
        const version = [...ledger.kept.values()].find((kept) => kept.key === key && kept.text !== undefined);
        const text = version && (await unlessMissing(read(key, version.id, s3)));
        if (version !== undefined && ledger.kept.has(version.id)) expect(text).toBe(version.text);
      } else {
        const page = await s3.send(new ListObjectVersionsCommand({ Bucket, Prefix: key }));
        const ids = versionsOf(page).map(({ id }) => id);
        expect(new Set(ids).size, 'a version twice in one list').toBe(ids.length);
      }
    }
  }

  /** Missing keys and markers are no failure of what is tried here. */
  async function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
    try {
      return await unlessBusy(work);
    } catch (error) {
      if (error instanceof S3ServiceException && [404, 405].includes(error.$metadata.httpStatusCode ?? 0)) {
        return undefined;
      }
      throw error;
    }
  }

  async function read(Key: string, VersionId: string | undefined, s3 = patient): Promise<string | undefined> {
    const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key, VersionId }));
    return Body?.transformToString();
  }

  async function allVersions(): Promise<ListedVersion[]> {
    const versions: ListedVersion[] = [];
    for await (const page of versionPages(patient, Bucket, 37)) versions.push(...versionsOf(page));
    return versions;
  }

  async function expectLatest(key: string, versions: readonly ListedVersion[]): Promise<void> {
    const latest = versions.filter(({ isLatest }) => isLatest);
    expect(latest.length, `latest versions of ${key}`).toBe(versions.length === 0 ? 0 : 1);
    for (const s3 of replicas) {
      const answer = await s3.send(new GetObjectCommand({ Bucket, Key: key })).catch((error: unknown) => error);
      if (latest[0] === undefined || latest[0].isMarker) expect(answer).toMatchObject({ name: 'NoSuchKey' });
      else expect(answer).toMatchObject({ VersionId: latest[0].id });
    }
  }
});

interface ListedVersion {
  readonly key: string;
  readonly id: string;
  readonly isLatest: boolean;
  readonly isMarker: boolean;
}

function versionsOf(page: ListObjectVersionsCommandOutput): ListedVersion[] {
  const of =
    (isMarker: boolean) =>
    ({ Key = '', VersionId = '', IsLatest = false }) => ({ key: Key, id: VersionId, isLatest: IsLatest, isMarker });
  return [...(page.Versions ?? []).map(of(false)), ...(page.DeleteMarkers ?? []).map(of(true))];
}
