import type { AccountDirectory } from '../../access/accounts.ts';
import { MAX_BUCKET_POLICY } from '../../access/bucket-policy.ts';
import { foreignResource } from '../../access/policy/check-bucket-statement.ts';
import type { PolicyDocument, PrincipalEntry } from '../../access/policy/document.ts';
import type { FaultName } from '../../access/policy/sentences.ts';
import { sentenceOf } from '../../access/policy/sentences.ts';
import { parsePolicy } from '../../access/policy/parse.ts';
import { S3Error } from '../../errors/s3-error.ts';

/**
 * The document that a PutBucketPolicy brings: well-formed, about this bucket, naming accounts that there are.
 * @throws S3Error MalformedPolicy
 */
export function requestedPolicy(text: string, bucket: string, accounts: AccountDirectory): PolicyDocument {
  if (Buffer.byteLength(text) > MAX_BUCKET_POLICY) throw malformed('tooLarge');
  const { document, faults } = parsePolicy(text, 'resource');
  if (document === undefined) {
    throw new S3Error('MalformedPolicy', { message: faults[0].sentence, extra: detailOf(faults[0].subject) });
  }
  const foreign = foreignResource(document, bucket);
  if (foreign !== undefined) throw malformed('resource', foreign.text);
  const entries = document.statements.flatMap(({ principals }) => principals?.entries ?? []);
  const stranger = entries.map((entry) => unknownPrincipal(entry, accounts)).find((unknown) => unknown !== undefined);
  if (stranger !== undefined) throw malformed('principal', stranger);
  return document;
}

function malformed(fault: FaultName, subject = ''): S3Error {
  return new S3Error('MalformedPolicy', { message: sentenceOf('resource', fault, subject), extra: detailOf(subject) });
}

/** AWS names the value that it objects to beside the sentence. */
function detailOf(subject: string): Record<string, string> {
  return subject === '' ? {} : { Detail: subject };
}

const ACCOUNT_OF_ARN = /^arn:aws:(?:iam|sts)::(\d{12}):/;

/** How a principal is written of which there is no account; users and roles come and go within theirs. */
function unknownPrincipal(entry: PrincipalEntry, accounts: AccountDirectory): string | undefined {
  if (entry.kind === 'canonicalUser') return accounts.byCanonicalId(entry.id) === undefined ? entry.id : undefined;
  const number =
    entry.kind === 'account' ? entry.number : entry.kind === 'arn' ? ACCOUNT_OF_ARN.exec(entry.arn)?.[1] : undefined;
  return number !== undefined && accounts.byNumber(number) === undefined ? number : undefined;
}
