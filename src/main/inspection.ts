import process from 'node:process';
import { hostname } from 'node:os';
import type { Config } from '../../config/schema.ts';
import type { AccountDirectory } from '../access/accounts.ts';
import type { Sessions } from '../access/sessions/sessions.ts';
import { inspectorApi } from '../admin/inspector/routes.ts';
import { inspectorPage } from '../admin/page/page.ts';
import { peerAddresses } from '../admin/replicas/peer-addresses.ts';
import { Replicas } from '../admin/replicas/replicas.ts';
import type { AdminPart } from '../admin/server.ts';
import { type BucketRegistry, createObjectInspector } from '../manifest/index.ts';
import { hostResolver } from '../protocol/address.ts';
import type { Call } from '../observe/call.ts';
import { RequestJournal, type RequestSource } from '../admin/journal/journal.ts';
import type { RequestObserver } from '../observe/request-facts.ts';
import { type SurveyedBackend, connectionsInUse } from './telemetry/readings.ts';
import { VERSION } from './version.ts';
import { siblingAddresses } from './workers/siblings.ts';
import { SignatureDiagnoser } from '../admin/diagnosis/diagnoser.ts';
import { DEFAULT_MAX_SKEW_MS } from '../auth/verdict.ts';

interface InspectionOptions {
  readonly config: Config;
  readonly accounts: AccountDirectory;
  readonly sessions: Sessions;
  readonly buckets: BucketRegistry;
  readonly newCall: (signal: AbortSignal) => Call;
  readonly requests: RequestSource;
  readonly backends: readonly SurveyedBackend[];
}

/** What watches requests for people, and the parts of the admin port where these look at them. */
export interface Inspection {
  readonly observers: readonly RequestObserver[];
  readonly parts: readonly AdminPart[];
}

/** Nothing is watched, kept or shown unless the configuration has an inspector. */
export function openInspection(options: InspectionOptions): Inspection {
  const { config, accounts, sessions, buckets, newCall, requests, backends } = options;
  const { admin, slowMs, versioningDrainMs } = config;
  if (!admin.enabled || !admin.inspector) return { observers: [], parts: [] };
  const diagnoser = signatureDiagnoser(config, accounts, sessions);
  const journal = new RequestJournal({
    maxBytes: admin.journal.maxBytes,
    slowMs,
    requests,
    diagnose: (facts) => diagnoser.explain(facts),
  });
  const api = inspectorApi({
    journal,
    objects: createObjectInspector({ buckets, versioningDrainMs }),
    replicas: openReplicas(config, journal, backends),
    newCall,
    version: VERSION,
    traceUrlTemplate: admin.traceUrlTemplate,
    isOwnHost: ownHosts(config),
  });
  return { observers: [diagnoser, journal], parts: [api, inspectorPage()] };
}

/** Hosts of the configuration, and this machine for whoever looks from it. */
function ownHosts({ baseHosts, websiteHosts, region, listeners }: Config): (host: string) => boolean {
  const names = ['localhost', '127.0.0.1', '[::1]', ...listeners.map(({ host }) => host)];
  const hosts = hostResolver([...baseHosts, ...websiteHosts], region);
  return (host) => hosts.isConfigured(host) || names.includes(host.replace(/:\d*$/, ''));
}

function openReplicas({ admin }: Config, journal: RequestJournal, backends: readonly SurveyedBackend[]): Replicas {
  const { urls, dnsName, dnsPort, refreshMs } = admin.peers;
  const peers = peerAddresses({
    urls,
    refreshMs,
    ...(dnsName !== undefined && { dns: { host: dnsName, port: dnsPort ?? admin.port } }),
  });
  const id = admin.replica ?? `${hostname()}-${process.pid}`;
  const started = Date.now();
  return new Replicas({
    siblings: siblingAddresses(),
    peers,
    own: () => ({
      id,
      own: true,
      up: true,
      started,
      version: VERSION,
      ...journal.stats,
      connections: connectionsInUse(backends),
    }),
  });
}

/** Explains refused signatures; an observer of requests, too, as it learns the hosts that clients sign for. */
function signatureDiagnoser(
  { region, baseHosts, listeners }: Config,
  accounts: AccountDirectory,
  sessions: Sessions,
): SignatureDiagnoser {
  return new SignatureDiagnoser({
    region,
    maxSkewMs: DEFAULT_MAX_SKEW_MS,
    baseHosts,
    ports: listeners.map(({ port }) => port).filter((port) => port !== 0),
    credentialFor: accounts.byAccessKey,
    sessionFor: (accessKeyId, token) => sessions.credentialFor(accessKeyId, token),
    credentials: () => accounts.credentials(),
  });
}
