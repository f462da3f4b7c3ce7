import { resolve } from 'node:path';
import type { AdminConfig } from '../../config/schema.ts';
import { type ManageGuard, type RouteAccess, adminGuard } from '../admin/guard/guard.ts';
import { reviewToken } from '../admin/guard/kubernetes-review.ts';
import { anyOf, fixedTokens, type NamingCheck, notAmong } from '../admin/guard/token-check.ts';
import { tokenReview } from '../admin/guard/token-review.ts';
import type { AdminPart } from '../admin/server.ts';
import type { Log } from '../observe/log.ts';
import { kubernetesApi } from './kubernetes.ts';
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

interface AdminAccessOptions {
  readonly admin: AdminConfig;
  readonly sources: SecretSources;
  readonly log: Log;
  /** Told of requests for changes whose token does not suffice. */
  readonly onRefused?: ManageGuard['onRefused'] | undefined;
}

/** Who gets in on the admin port, as the configuration has it. @throws StartError */
export function openAdminAccess({ admin, sources, log, onRefused }: AdminAccessOptions): AdminAccess {
  const closers: (() => void)[] = [];
  const surroundings = { sources, log, closers };
  const { tokenReview: review, manage } = admin;
  const own = checksOf('admin.token', { tokenFile: admin.tokenFile, tokenEnv: admin.tokenEnv, review }, surroundings);
  const managing = manage && managerChecks(manage, review, surroundings);
  // A token that is known here is shown to no other service, which might keep it.
  const managers =
    managing && anyOf([...managing.fixed, ...managing.reviewed.map((check) => notAmong(own.fixed, check))]);
  // Tokens that may change may read, too: then no caller reads without one.
  const checks = [own, ...(managing === undefined ? [] : [managing])];
  const readers = [...checks.flatMap(({ fixed }) => fixed), ...checks.flatMap(({ reviewed }) => reviewed)];
  // A port without inspector may be bound anywhere: on what is no probe and not open, no token is right.
  const probesOnly = readers.length === 0 && !admin.inspector;
  return {
    guard: adminGuard({
      tokens: readers.length > 0 || probesOnly ? anyOf(readers) : undefined,
      names: admin.names,
      ...(managers && { manage: { tokens: managers, onRefused: onRefused ?? (() => undefined) } }),
    }),
    metrics: admin.openMetrics || probesOnly ? 'open' : 'token',
    close: () => closers.forEach((close) => close()),
  };
}

interface Surroundings {
  readonly sources: SecretSources;
  readonly log: Log;
  readonly closers: (() => void)[];
}

/** @throws StartError */
function managerChecks(
  manage: NonNullable<AdminConfig['manage']>,
  review: TokenReviewSettings | undefined,
  surroundings: Surroundings,
): Checks {
  const { tokenFile, tokenEnv, users, groups } = manage;
  const asked = users.length + groups.length > 0 && review !== undefined ? { ...review, users, groups } : undefined;
  return checksOf('admin.manage.token', { tokenFile, tokenEnv, review: asked }, surroundings);
}

type TokenReviewSettings = NonNullable<AdminConfig['tokenReview']>;

interface TokenSettings {
  readonly tokenFile?: string | undefined;
  readonly tokenEnv?: string | undefined;
  readonly review: TokenReviewSettings | undefined;
}

/** The checks of one group of callers. */
interface Checks {
  readonly fixed: readonly NamingCheck[];
  readonly reviewed: readonly NamingCheck[];
}

/** @param where path of the setting, for messages @throws StartError */
function checksOf(where: string, settings: TokenSettings, surroundings: Surroundings): Checks {
  const { tokenFile, tokenEnv, review } = settings;
  const hasFixed = tokenFile !== undefined || tokenEnv !== undefined;
  return {
    fixed: hasFixed ? [configuredTokens(where, settings, surroundings)] : [],
    reviewed: review === undefined ? [] : [clusterTokens(review, surroundings)],
  };
}

/** A file is read again when it changes; while what it holds is no good, the old tokens stay. */
function configuredTokens(
  where: string,
  { tokenFile, tokenEnv }: TokenSettings,
  { sources, log, closers }: Surroundings,
): NamingCheck {
  const read = (): string[] =>
    checkedTokens(readSecret({ file: tokenFile, variable: tokenEnv }, where, sources), where);
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

function checkedTokens(text: string, where: string): string[] {
  const tokens = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const good = tokens.length > 0 && tokens.every((token) => token.length >= MIN_TOKEN_LENGTH && TOKEN.test(token));
  if (!good) {
    throw new StartError([
      `${where}: expected ${MIN_TOKEN_LENGTH} or more letters, digits or any of - . _ ~ + / (openssl rand -hex 32)`,
    ]);
  }
  return tokens;
}

function clusterTokens(settings: TokenReviewSettings, { sources, log }: Surroundings): NamingCheck {
  const api = kubernetesApi(settings, 'admin.tokenReview', sources);
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
