import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NO_KEYS } from '../../../../src/access/policy/context.ts';
import type { PolicyDocument, Statement } from '../../../../src/access/policy/document.ts';
import { StatementIndex } from '../../../../src/access/policy/statement-index.ts';
import { named } from './policies.ts';

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

describe('the index of statements', () => {
  it('leaves out none that speaks about a resource, and names those in order', () => {
    const statements = fc.array(fc.tuple(field, fc.array(resource, { minLength: 1, maxLength: 3 })), {
      minLength: 1,
      maxLength: 12,
    });
    fc.assert(
      fc.property(statements, part, (fields, key) => {
        const document = documentOf(fields.map(([name, patterns]) => ({ [name]: patterns })));
        const arn = `arn:aws:s3:::b${key.replaceAll(/[*?$]/g, 'a')}`;
        const about = new StatementIndex(document).about(arn);
        expect(about).toEqual([...new Set(about)].sort((one, other) => one - other));
        for (const [place, statement] of document.statements.entries()) {
          if (speaksOf(statement, arn)) expect(about, `${JSON.stringify(fields)} ${arn}`).toContain(place);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('names no statement about another prefix', () => {
    const of = (prefix: string): object => ({ Resource: [`arn:aws:s3:::b/${prefix}*`, `arn:aws:s3:::b/${prefix}x/*`] });
    const index = new StatementIndex(documentOf([...['t1/', 't2/', '', 't1/a'].map(of), { Resource: '*' }]));
    expect(index.about('arn:aws:s3:::b/t1/b')).toEqual([0, 2, 4]);
    expect(index.about('arn:aws:s3:::b/t1/ab')).toEqual([0, 2, 3, 4]);
    expect(index.about('arn:aws:s3:::c/t1/b')).toEqual([4]);
  });

  it('says of each statement whether it names the action', () => {
    const actions = ['s3:Get*', 's3:PutObject', '*'].map((Action) => ({ Action, Resource: '*' }));
    const index = new StatementIndex(documentOf(actions));
    expect(index.naming('s3:GetObject')).toEqual({ named: [true, false, true], letters: ['r', 'a', 'r'] });
    // Remembered, and made anew when there were many others.
    for (let at = 0; at < 20; at += 1) index.naming(`s3:Other${at}`);
    expect(index.naming('s3:GetObject').named).toEqual([true, false, true]);
  });
});
