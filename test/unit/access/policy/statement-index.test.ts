import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NO_KEYS } from '../../../../src/access/policy/context.ts';
import type { PolicyDocument, Statement } from '../../../../src/access/policy/document.ts';
import type { Found } from '../../../../src/access/policy/said.ts';
import { StatementIndex } from '../../../../src/access/policy/statement-index.ts';
import { ResourceArn } from '../../../../src/observe/resource-arn.ts';
import { arnOf, named } from './policies.ts';

/** Short texts of few letters, so that many begin with one another. */
const part = fc.string({ unit: fc.constantFrom('a', 'b', '/', '*', '?', 'é', '$'), maxLength: 6 });
const resource = fc.oneof(
  fc.constant('*'),
  part.map((text) => `arn:aws:s3:::b${text}`),
  part.map((text) => `arn:*:s3:::b${text}`),
);
const field = fc.constantFrom('Resource', 'NotResource');

function documentOf(statements: readonly object[]): PolicyDocument {
  const whole = statements.map((fields) => ({ Effect: 'Allow', Action: 's3:GetObject', ...fields }));
  return named(JSON.stringify({ Version: '2012-10-17', Statement: whole })).document;
}

const speaksOf = ({ resources }: Statement, arn: string): boolean =>
  resources === undefined || resources.patterns.some((pattern) => pattern.matches(arn, NO_KEYS)) !== resources.not;

const GET = 's3:GetObject';
const placesOf = ({ candidates }: Found): number[] => candidates.map(({ place }) => place);

describe('the index of statements', () => {
  it('leaves out none that speaks about a resource, knows of none that does not, and names them in order', () => {
    const statements = fc.array(fc.tuple(field, fc.array(resource, { minLength: 1, maxLength: 3 })), {
      minLength: 1,
      maxLength: 12,
    });
    fc.assert(
      fc.property(statements, fc.array(part, { minLength: 1, maxLength: 4 }), (fields, keys) => {
        const document = documentOf(fields.map(([name, patterns]) => ({ [name]: patterns })));
        const index = new StatementIndex(document);
        // What was remembered of others, and of itself, changes nothing.
        for (const key of [...keys, ...keys]) {
          const arn = `arn:aws:s3:::b${key.replaceAll(/[*?$]/g, 'a')}`;
          const { candidates } = index.find(GET, new ResourceArn(arn));
          const places = candidates.map(({ place }) => place);
          expect(places).toEqual([...new Set(places)].sort((one, other) => one - other));
          for (const [place, statement] of document.statements.entries()) {
            const found = candidates.find((candidate) => candidate.place === place);
            const what = `${JSON.stringify(fields)} ${arn} ${String(place)}`;
            if (speaksOf(statement, arn)) expect(found?.statement, what).toBe(statement);
            else expect(found?.isAbout ?? false, what).toBe(false);
          }
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('finds the same however an ARN is cut, and whichever was asked about before', () => {
    const statements = fc.array(fc.array(resource, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(statements, fc.array(part, { minLength: 2, maxLength: 6 }), (fields, keys) => {
        const document = documentOf(fields.map((Resource) => ({ Resource })));
        const arns = keys.map((key) => `arn:aws:s3:::b${key}`);
        const expected = arns.map((arn) => placesOf(new StatementIndex(document).find(GET, new ResourceArn(arn))));
        const index = new StatementIndex(document);
        for (let at = 0; at <= 'arn:aws:s3:::b'.length + 3; at += 1) {
          const cut = arns.map((arn) => new ResourceArn(arn.slice(0, at), arn.slice(at)));
          expect(cut.map((arn) => placesOf(index.find(GET, arn)))).toEqual(expected);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('names no statement about another prefix', () => {
    const of = (prefix: string): object => ({ Resource: [`arn:aws:s3:::b/${prefix}*`, `arn:aws:s3:::b/${prefix}x/*`] });
    const index = new StatementIndex(documentOf([...['t1/', 't2/', '', 't1/a'].map(of), { Resource: '*' }]));
    expect(placesOf(index.find(GET, arnOf('arn:aws:s3:::b/t1/b')))).toEqual([0, 2, 4]);
    expect(placesOf(index.find(GET, arnOf('arn:aws:s3:::b/t1/ab')))).toEqual([0, 2, 3, 4]);
    expect(placesOf(index.find(GET, arnOf('arn:aws:s3:::c/t1/b')))).toEqual([4]);
  });

  it('tells a resource from one that only begins like it', () => {
    const index = new StatementIndex(
      documentOf(['b', 'b/*', 'b/k', 'b*'].map((r) => ({ Resource: `arn:aws:s3:::${r}` }))),
    );
    expect(placesOf(index.find(GET, arnOf('arn:aws:s3:::b')))).toEqual([0, 3]);
    expect(placesOf(index.find(GET, arnOf('arn:aws:s3:::b/')))).toEqual([1, 3]);
    expect(placesOf(index.find(GET, arnOf('arn:aws:s3:::b/k')))).toEqual([1, 2, 3]);
    expect(placesOf(index.find(GET, arnOf('arn:aws:s3:::b/kk')))).toEqual([1, 3]);
  });

  it('says of each statement whether it names the action', () => {
    const actions = ['s3:Get*', 's3:PutObject', '*'].map((Action) => ({ Action, Resource: '*' }));
    const index = new StatementIndex(documentOf(actions));
    const found = index.find(GET, arnOf('arn:aws:s3:::b/k'));
    expect([placesOf(found), found.letters]).toEqual([[0, 2], 'rar']);
    expect(index.find(GET, arnOf('arn:aws:s3:::c/k'))).toBe(found);
    // Remembered, and made anew when there were many others.
    for (let at = 0; at < 20; at += 1) index.find(`s3:Other${at}`, arnOf('arn:aws:s3:::b/k'));
    expect(index.find(GET, arnOf('arn:aws:s3:::b/k'))).toEqual(found);
  });

  it('forgets what it found for many starts', () => {
    const prefixes = Array.from({ length: 200 }, (_, length) => 'a'.repeat(length));
    const index = new StatementIndex(documentOf(prefixes.map((prefix) => ({ Resource: `arn:aws:s3:::b/${prefix}*` }))));
    for (const prefix of prefixes) {
      const count = placesOf(index.find(GET, arnOf(`arn:aws:s3:::b/${prefix}`))).length;
      expect(count).toBe(prefix.length + 1);
    }
    expect(placesOf(index.find(GET, arnOf('arn:aws:s3:::b/ab')))).toEqual([0, 1]);
  });
});
