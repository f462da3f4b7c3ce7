import { expect, vi } from 'vitest';
import { MemoryBlobStore } from '../../../adapters/memory/memory-blob-store.ts';
import { CONFIG, type Config } from '../../../config/schema.ts';
import { EventSending } from '../../../src/main/events/event-sending.ts';
import { runLifecycle } from '../../../src/manifest/lifecycle/lifecycle.ts';
import { ALL_INTENTS } from '../../../src/manifest/records/change-intent.ts';
import { SYSTEM_TIME } from '../../../src/manifest/records/time.ts';
import { sweep } from '../../../src/manifest/sweep/sweep.ts';
import { SWEEP_DEFAULTS } from '../../../src/manifest/sweep/sweep-run.ts';
import type { CallWatch } from '../../../src/observe/call-facts.ts';
import { CALENDAR } from '../../../src/protocol/lifecycle/due.ts';
import { LoopbackReceiver } from '../../support/backends/receiver.ts';
import { contentMd5 } from '../../support/clients/acl-client.ts';
import { exactly, formRequest, signedV4 } from '../../support/clients/post-form.ts';
import { roundTrip } from '../../support/clients/raw-http.ts';
import { SILENT } from '../../support/silent-log.ts';
import { testCall } from '../../support/test-call.ts';
import { World } from '../spec/world.ts';

const UNCOUNTED: CallWatch = {
  takeRoom: () => true,
  giveRoomBack: () => undefined,
  callEnded: () => undefined,
  denied: () => undefined,
  get behind() {
    return UNCOUNTED;
  },
};

const DAY_MS = 86_400_000;
const ALL_EVENTS = ['ObjectCreated:*', 'ObjectRemoved:*', 'ObjectTagging:*', 'ObjectAcl:Put', 'ObjectRestore:*']
  .concat('LifecycleExpiration:*', 'LifecycleTransition')
  .map((name) => `<Event>s3:${name}</Event>`)
  .join('');
const VERSIONED = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>';
const TAGS = '<Tagging><TagSet><Tag><Key>k</Key><Value>v</Value></Tag></TagSet></Tagging>';

/** Rules whose day has come, whenever the test runs. */
const RULES =
  '<LifecycleConfiguration>' +
  '<Rule><ID>gone</ID><Filter><Prefix>gone/</Prefix></Filter><Status>Enabled</Status><Expiration><Date>2020-01-01T00:00:00Z</Date></Expiration></Rule>' +
  '<Rule><ID>cold</ID><Filter><Prefix>cold/</Prefix></Filter><Status>Enabled</Status><Transition><Date>2020-01-01T00:00:00Z</Date><StorageClass>GLACIER</StorageClass></Transition></Rule>' +
  '</LifecycleConfiguration>';

/** Receivers of events by the name of their target. */
type Receivers = Readonly<Record<'hook' | 'bridge' | 'structured' | 'batch', LoopbackReceiver>>;

/**
 * A gateway over memory, what carries out rules and ends restores, and the real sender of events. Each receiver is told
 * of all that can happen to objects, in a bucket that never had versions and in one with versions.
 */
export class ToldWorld {
  readonly receivers: Receivers = {
    hook: new LoopbackReceiver(),
    bridge: new LoopbackReceiver(),
    structured: new LoopbackReceiver(),
    batch: new LoopbackReceiver(),
  };
  readonly #stop = new AbortController();
  /** Of all clocks. */
  #aheadMs = 0;
  #world: World | undefined;
  #sending: EventSending | undefined;

  async open(): Promise<void> {
    const config = await this.#config();
    const targets = (): EventSending['targets'] => this.#sending?.targets ?? { has: () => false, greet: unready };
    const now = (): number => Date.now() + this.#aheadMs;
    const store = new MemoryBlobStore({ capabilities: { archiveIsOffline: true }, now });
    this.#world = await World.open(
      {
        time: { ...SYSTEM_TIME, now },
        storageClasses: { tiers: {}, buckets: [] },
        versioningDrainMs: 0,
        notificationTargets: {
          has: (arn) => targets().has(arn),
          greet: (arn, message, call) => targets().greet(arn, message, call),
        },
      },
      store,
    );
    const { realm, manifest, accounts } = this.#world.gateway;
    const more = { endpoint: 'memory', surveyed: undefined, close: async () => undefined };
    this.#sending = new EventSending({
      config,
      sources: { folder: '.', environment: {} },
      backends: realm.backends.map((backend) => ({ ...backend, ...more })),
      buckets: manifest.buckets,
      identities: { accounts },
      log: SILENT,
      telemetry: { calls: UNCOUNTED },
      signal: this.#stop.signal,
    });
    this.#sending.start();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#sending?.ended();
    await this.#world?.close();
    for (const receiver of Object.values(this.receivers)) receiver.stop();
  }

  /** Does all that can happen, in two buckets for each target. Resolves when the receivers have been told. */
  async happen(): Promise<void> {
    for (const target of Object.keys(this.receivers) as (keyof Receivers)[]) {
      for (const versioning of ['', VERSIONED]) {
        const bucket = await this.#bucket(target, versioning);
        await this.#create(bucket);
        await this.#change(bucket);
        await this.#remove(bucket, versioning !== '');
        await this.#carryOutRules(bucket);
        await this.#restore(bucket);
      }
    }
    await this.#sent();
    await this.#endRestores();
    await this.#sent();
  }

  get #open(): World {
    if (this.#world === undefined) throw new Error('open the world first');
    return this.#world;
  }

  async #config(): Promise<Config> {
    const [hook, bridge, structured, batch] = await Promise.all(
      Object.values(this.receivers).map((receiver) => receiver.start()),
    );
    return CONFIG.parse({
      accounts: [{ name: 'main', canonicalId: '4'.repeat(64) }],
      backends: { main: { kind: 'memory', owner: 'main' } },
      events: {
        pollMs: 100,
        targets: [
          { name: 'hook', kind: 'webhook', url: hook },
          { name: 'bridge', kind: 'webhook', url: bridge },
          { name: 'structured', kind: 'cloudEvents', url: structured },
          { name: 'batch', kind: 'cloudEvents', url: batch, mode: 'batch' },
        ],
        eventBridge: 'bridge',
      },
    });
  }

  async #bucket(target: keyof Receivers, versioning: string): Promise<string> {
    const bucket = await this.#open.bucket({ 'x-amz-object-ownership': 'ObjectWriter' });
    if (versioning !== '') await this.#open.must('PUT', `/${bucket}?versioning`, { body: versioning });
    const told =
      target === 'bridge'
        ? '<EventBridgeConfiguration/>'
        : `<QueueConfiguration><Id>to ${target}</Id><Queue>arn:aws:sqs:us-east-1:123456789012:${target}</Queue>${ALL_EVENTS}</QueueConfiguration>`;
    const body = `<NotificationConfiguration>${told}</NotificationConfiguration>`;
    await this.#open.must('PUT', `/${bucket}?notification`, { body });
    const smallToo = { 'x-amz-transition-default-minimum-object-size': 'varies_by_storage_class' };
    const headers = { 'content-md5': contentMd5(RULES), ...smallToo };
    await this.#open.must('PUT', `/${bucket}?lifecycle`, { body: RULES, headers });
    return bucket;
  }

  async #create(bucket: string): Promise<void> {
    const world = this.#open;
    await world.put(`/${bucket}/a%20b/%C3%A4%2Bc.jpg`);
    const fields = [['key', 'form']] as const;
    const form = formRequest(bucket, { fields: signedV4(fields, exactly(fields, bucket)), file: 'bytes' });
    await roundTrip(world.gateway.port, form, 'POST');
    await world.copy(`/${bucket}/copy`, `${bucket}/form`);
    const upload = await world.upload(`/${bucket}/parts`);
    const { headers } = await world.must('PUT', `${upload}&partNumber=1`, { body: 'part' });
    await world.complete(upload, [String(headers['etag'])]);
  }

  async #change(bucket: string): Promise<void> {
    const world = this.#open;
    await world.must('PUT', `/${bucket}/copy?tagging`, { body: TAGS });
    await world.must('DELETE', `/${bucket}/copy?tagging`);
    await world.must('PUT', `/${bucket}/copy?acl`, { headers: { 'x-amz-acl': 'public-read' } });
  }

  async #remove(bucket: string, hasVersions: boolean): Promise<void> {
    const world = this.#open;
    const { headers } = await world.must('DELETE', `/${bucket}/form`);
    if (hasVersions) await world.must('DELETE', `/${bucket}/form?versionId=${String(headers['x-amz-version-id'])}`);
  }

  async #carryOutRules(bucket: string): Promise<void> {
    const { put, gateway } = { put: (key: string) => this.#open.put(`/${bucket}/${key}`), gateway: this.#open.gateway };
    await put('gone/k');
    await put('cold/k');
    const { realm, manifest } = gateway;
    const settings = { dryRun: false, length: CALENDAR, concurrency: 4, perSecond: 1e6, everyMs: 0, bucket };
    await runLifecycle({ realm, backends: realm.backends, manifest, settings, clockOf: () => undefined }, testCall());
    await gateway.idle();
  }

  /** Asked for, and there when it is looked at. */
  async #restore(bucket: string): Promise<void> {
    const target = `/${bucket}/restored`;
    await this.#open.put(target, 'bytes', { 'x-amz-storage-class': 'GLACIER' });
    await this.#open.must('POST', `${target}?restore`, { body: '<RestoreRequest><Days>1</Days></RestoreRequest>' });
    await this.#open.must('HEAD', target);
  }

  /** The days are over, and the sweeper comes by. */
  async #endRestores(): Promise<void> {
    this.#aheadMs = 4 * DAY_MS;
    const { realm } = this.#open.gateway;
    const now = (): number => Date.now() + this.#aheadMs;
    await sweep({ realm, backends: realm.backends, settings: SWEEP_DEFAULTS, now }, testCall());
  }

  async #sent(): Promise<void> {
    const { store } = this.#open.gateway;
    const announced = { prefix: ALL_INTENTS, limit: 1000 };
    const waiting = async (): Promise<number> => (await store.list('system', announced, testCall())).entries.length;
    await vi.waitFor(async () => expect(await waiting()).toBe(0), { timeout: 30_000 });
  }
}

function unready(): Promise<void> {
  return Promise.reject(new Error('nothing is sent yet'));
}
