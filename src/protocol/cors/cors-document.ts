import { S3Error } from '../../errors/s3-error.ts';
import { isFieldName } from '../headers/field-text.ts';
import { CORS_CONFIGURATION } from '../xml/cors-shape.ts';
import { type XmlDocument, xml } from '../xml/document.ts';
import type { Decoded } from '../xml/decode.ts';
import { CORS_METHODS, type CorsRule } from './cors-rule.ts';

const MAX_RULES = 100;
/** Characters of a rule's name. */
const MAX_ID = 255;
/**
 * What a header can say and every browser understands. S3 takes it below zero, too, which tells browsers to remember
 * nothing.
 */
const MAX_AGE_SECONDS = 2_147_483_647;

/**
 * Rules of a document, checked as S3 checks them (https://docs.aws.amazon.com/AmazonS3/latest/API/API_CORSRule.html).
 * @throws S3Error InvalidRequest, MalformedXML
 */
export function corsRules({ rules }: Decoded<typeof CORS_CONFIGURATION>): readonly CorsRule[] {
  if (rules.length > MAX_RULES) {
    throw invalid(`The number of CORS rules should not exceed allowed limit of ${MAX_RULES} rules.`);
  }
  return rules.map(corsRule);
}

export function corsDocument(rules: readonly CorsRule[]): XmlDocument {
  return xml(CORS_CONFIGURATION, {
    rules: rules.map((rule) => ({
      ID: rule.id,
      AllowedMethod: rule.allowedMethods,
      AllowedOrigin: rule.allowedOrigins,
      AllowedHeader: rule.allowedHeaders,
      MaxAgeSeconds: rule.maxAgeSeconds,
      ExposeHeader: rule.exposeHeaders,
    })),
  });
}

function corsRule(rule: Decoded<typeof CORS_CONFIGURATION>['rules'][number]): CorsRule {
  const { ID: id, AllowedMethod: allowedMethods, AllowedOrigin: allowedOrigins, AllowedHeader: allowedHeaders } = rule;
  const { ExposeHeader: exposeHeaders, MaxAgeSeconds: maxAgeSeconds } = rule;
  if (id !== undefined && Array.from(id).length > MAX_ID) {
    throw invalid(`ID length should not exceed allowed limit of ${MAX_ID}`);
  }
  const method = allowedMethods.find((one) => !CORS_METHODS.includes(one));
  if (method !== undefined) {
    throw invalid(`Found unsupported HTTP method in CORS config. Unsupported method is ${method}`);
  }
  for (const origin of allowedOrigins) requireOneWildcard('AllowedOrigin', origin);
  for (const header of allowedHeaders) {
    requireOneWildcard('AllowedHeader', header);
    requireHeaderName('AllowedHeader', header);
  }
  for (const header of exposeHeaders) requireExposable(header);
  if (maxAgeSeconds !== undefined && Math.abs(maxAgeSeconds) > MAX_AGE_SECONDS) {
    throw new S3Error('MalformedXML');
  }
  return {
    ...(id !== undefined && { id }),
    allowedMethods,
    allowedOrigins,
    allowedHeaders,
    exposeHeaders,
    ...(maxAgeSeconds !== undefined && { maxAgeSeconds }),
  };
}

function requireOneWildcard(element: string, value: string): void {
  if (value.split('*', 3).length > 2) throw invalid(`${element} "${value}" can not have more than one wildcard.`);
}

/** S3 lets an empty element pass: it stands for no header. */
function requireHeaderName(element: string, value: string): void {
  if (value !== '' && !isFieldName(value)) throw invalid(`${element} "${value}" contains invalid character.`);
}

/** It goes out in a header of its own. */
function requireExposable(value: string): void {
  if (value.includes('*')) {
    throw invalid(`ExposeHeader "${value}" contains wildcard. We currently do not support wildcard for ExposeHeader.`);
  }
  if (!isFieldName(value)) throw invalid(`ExposeHeader "${value}" contains invalid character.`);
}

function invalid(message: string): S3Error {
  return new S3Error('InvalidRequest', { message });
}
