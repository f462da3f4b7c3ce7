import type { AccountDirectory } from '../../../../src/access/accounts.ts';
import type { Sessions } from '../../../../src/access/sessions/sessions.ts';
import { directoryOf, type Keys, keysOf, roleArn } from '../../../support/clients/sts-client.ts';
import type { Row } from './rows.ts';
import type { BucketSays, Caller, Kind, Says } from './rule.ts';

const MAIN = '444444444444';
const OTHER = '555555555555';
const SAYS: readonly Says[] = ['allow', 'deny', 'nothing'];

const s3 = (actions: readonly string[]): string[] => actions.map((action) => `s3:${action}`);

/** A policy of a user, of a role or of a session. */
function documentOf(says: Says, { action, also }: Row): object {
  const statements: Readonly<Record<Says, readonly object[]>> = {
    allow: [{ Effect: 'Allow', Action: s3([action, ...also]) }],
    deny: [
      { Effect: 'Allow', Action: 's3:*' },
      { Effect: 'Deny', Action: s3([action]) },
    ],
    nothing: [{ Effect: 'Allow', NotAction: s3([action]) }],
  };
  return { Version: '2012-10-17', Statement: statements[says].map((statement) => ({ ...statement, Resource: '*' })) };
}

/** Two accounts; their users and roles have the documents of a row. */
export function accountsFor(row: Row): AccountDirectory {
  const policies = Object.fromEntries(SAYS.map((says) => [says, documentOf(says, row)]));
  const named = (prefix: string): object[] => SAYS.map((says) => ({ name: `${prefix}-${says}`, policies: [says] }));
  const roles = named('role').map((role) => ({ ...role, trust: { users: ['user-allow'] } }));
  return directoryOf({ accountNumber: MAIN, policies, users: named('user'), roles }, [
    { name: 'other', accountNumber: OTHER, policies, users: named('otherUser') },
  ]);
}

/** Everybody who asks: each kind of caller with each of its documents. */
export const CALLERS: readonly Caller[] = [
  { kind: 'root' },
  { kind: 'otherRoot' },
  { kind: 'anonymous' },
  ...SAYS.map((identity) => ({ kind: 'user' as const, identity })),
  ...SAYS.map((identity) => ({ kind: 'otherUser' as const, identity })),
  ...SAYS.flatMap((identity) => [
    { kind: 'session' as const, identity },
    ...SAYS.map((session) => ({ kind: 'session' as const, identity, session })),
  ]),
];

const sessionName = ({ session }: Caller): string => `session-${session ?? 'whole'}`;
const userArn = (number: string, name: string): string => `arn:aws:iam::${number}:user/${name}`;
const ARN_OF: Readonly<Record<Kind, ((caller: Caller) => string) | undefined>> = {
  anonymous: undefined,
  root: () => `arn:aws:iam::${MAIN}:root`,
  otherRoot: () => `arn:aws:iam::${OTHER}:root`,
  user: ({ identity }) => userArn(MAIN, `user-${identity}`),
  otherUser: ({ identity }) => userArn(OTHER, `otherUser-${identity}`),
  session: (caller) => `arn:aws:sts::${MAIN}:assumed-role/role-${caller.identity}/${sessionName(caller)}`,
};

/** Undefined: nobody signs. */
export function keysFor(caller: Caller, row: Row, sessions: Sessions): Keys | undefined {
  const { kind, identity, session } = caller;
  if (kind === 'anonymous') return undefined;
  if (kind === 'root') return keysOf('main');
  if (kind === 'otherRoot') return keysOf('other');
  if (kind !== 'session') return keysOf(`${kind}-${identity}`);
  const now = Math.floor(Date.now() / 1000);
  return sessions.issue({
    issuedAt: now - 1,
    expiresAt: now + 900,
    identity: { kind: 'role', role: roleArn(`role-${identity}`, MAIN), name: sessionName(caller) },
    ...(session !== undefined && { policies: [JSON.stringify(documentOf(session, row))] }),
  });
}

const PRINCIPALS: Readonly<Record<Exclude<BucketSays, 'nothing'>, unknown>> = {
  anyone: '*',
  deny: '*',
  accounts: { AWS: [MAIN, OTHER] },
  callers: { AWS: CALLERS.flatMap((caller) => ARN_OF[caller.kind]?.(caller) ?? []) },
  roles: { AWS: SAYS.map((says) => roleArn(`role-${says}`, MAIN)) },
};

/** What else the request takes, everybody has from the bucket, so that it is the row's action alone that decides. */
export function bucketPolicy(says: BucketSays, { action, also }: Row, bucket: string): string | undefined {
  const Resource = [`arn:aws:s3:::${bucket}`, `arn:aws:s3:::${bucket}/*`];
  const statement = (Effect: string, Principal: unknown, actions: readonly string[]): object[] =>
    actions.length === 0 ? [] : [{ Effect, Principal, Action: s3(actions), Resource }];
  const statements = [
    ...(says === 'nothing' ? [] : statement('Allow', PRINCIPALS[says], [action])),
    ...(says === 'deny' ? statement('Deny', '*', [action]) : []),
    ...statement('Allow', '*', also),
  ];
  return statements.length === 0 ? undefined : JSON.stringify({ Version: '2012-10-17', Statement: statements });
}
