import { resolve } from 'node:path';
import type { AdminConfig } from '../../config/schema.ts';
import { type RouteAccess, adminGuard } from '../admin/guard/guard.ts';
import { inClusterApi, type KubernetesApi, reviewToken } from '../admin/guard/kubernetes-review.ts';
import { anyOf, fixedTokens, type TokenCheck } from '../admin/guard/token-check.ts';
import { tokenReview } from '../admin/guard/token-review.ts';
import type { AdminPart } from '../admin/server.ts';
import type { Log } from '../observe/log.ts';
import { readSecret, type SecretSources } from './secrets.ts';
import { StartError } from './start-error.ts';
import { watchFiles } from './watch-files.ts';

const MIN_TOKEN_LENGTH = 16;
const TOKEN = /^[\w.~+/-]+=*$/;

export interface AdminAccess {
  readonly guard: AdminPart;
  /** Of the route of the metrics. */
  readonly metrics: RouteAccess;
  /** Ends the watch of the token's file. */
  close(): void;
}

/** Who gets in on the admin port, as the configuration has it. @throws StartError */
export function openAdminAccess(admin: AdminConfig, sources: SecretSources, log: Log): AdminAccess {
  const closers: (() => void)[] = [];
  const checks: TokenCheck[] = [];
  if (admin.tokenFile !== undefined || admin.tokenEnv !== undefined) {
    checks.push(configuredTokens(admin, { sources, log, closers }));
  }
  if (admin.tokenReview !== undefined) checks.push(clusterTokens(admin.tokenReview, sources, log));
  // A port without inspector may be bound anywhere: on what is no probe and not open, no token is right.
  const probesOnly = checks.length === 0 && !admin.inspector;
  return {
    guard: adminGuard({ tokens: checks.length > 0 || probesOnly ? anyOf(checks) : undefined, names: admin.names }),
    metrics: admin.openMetrics || probesOnly ? 'open' : 'token',
    close: () => closers.forEach((close) => close()),
  };
}

interface Surroundings {
  readonly sources: SecretSources;
  readonly log: Log;
  readonly closers: (() => void)[];
}

/** A file is read again when it changes; while what it holds is no good, the old tokens stay. */
function configuredTokens({ tokenFile, tokenEnv }: AdminConfig, { sources, log, closers }: Surroundings): TokenCheck {
  const read = (): string[] =>
    checkedTokens(readSecret({ file: tokenFile, variable: tokenEnv }, 'admin.token', sources));
  let tokens = read();
  if (tokenFile !== undefined) {
    closers.push(
      watchFiles([resolve(sources.folder, tokenFile)], () => {
        try {
          tokens = read();
          log.info({ tokenFile, tokens: tokens.length }, 'tokens of the admin port reloaded');
        } catch (error) {
          log.error(
            { tokenFile, reason: error instanceof Error ? error.message : String(error) },
            'the new token of the admin port is not usable; the old one stays',
          );
        }
      }),
    );
  }
  return fixedTokens(() => tokens);
}

function checkedTokens(text: string): string[] {
  const tokens = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const good = tokens.length > 0 && tokens.every((token) => token.length >= MIN_TOKEN_LENGTH && TOKEN.test(token));
  if (!good) {
    throw new StartError([
      `admin.token: expected ${MIN_TOKEN_LENGTH} or more letters, digits or any of - . _ ~ + / (openssl rand -hex 32)`,
    ]);
  }
  return tokens;
}

function clusterTokens(
  settings: NonNullable<AdminConfig['tokenReview']>,
  sources: SecretSources,
  log: Log,
): TokenCheck {
  const api = kubernetesApi(settings, sources);
  return tokenReview({
    ...settings,
    review: (token, audiences, signal) => reviewToken(api, { token, audiences }, signal),
    onError: (error) =>
      log.error(
        { err: error, server: api.server },
        'the Kubernetes API server says nothing about a token for the admin port',
      ),
  });
}

function kubernetesApi(
  { server, tokenFile, caFile }: NonNullable<AdminConfig['tokenReview']>,
  { folder, environment }: SecretSources,
): KubernetesApi {
  const cluster = inClusterApi(environment);
  const api = { server: server ?? cluster?.server, tokenFile: tokenFile ?? cluster?.tokenFile };
  if (api.server === undefined || api.tokenFile === undefined) {
    throw new StartError(['admin.tokenReview: this is no pod of a cluster: expected server and tokenFile']);
  }
  const authority = caFile ?? (server === undefined ? cluster?.caFile : undefined);
  return {
    server: api.server,
    tokenFile: resolve(folder, api.tokenFile),
    caFile: authority === undefined ? undefined : resolve(folder, authority),
  };
}
