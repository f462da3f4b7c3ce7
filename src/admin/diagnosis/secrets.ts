import type { DiagnosisSources } from './diagnosis.ts';

const MAX_OTHERS = 32;

interface OtherSecret {
  readonly secret: string;
  readonly text: string;
}

/** Other secrets that the client may have signed with: the right one spoilt, and those of other access keys. */
export function otherSecrets(secret: string, accessKeyId: string, sources: DiagnosisSources): OtherSecret[] {
  const spoilt: OtherSecret[] = [
    {
      secret: `${secret}\n`,
      text: "The client's secret ends in a line break: the file or variable that it comes from has one.",
    },
    {
      secret: `${secret}\r\n`,
      text: "The client's secret ends in a line break of Windows: the file that it comes from has one.",
    },
    {
      secret: `${secret}\r`,
      text: "The client's secret ends in a carriage return: the file that it comes from has line breaks of Windows.",
    },
    { secret: `${secret} `, text: "The client's secret ends in a space." },
    { secret: ` ${secret}`, text: "The client's secret begins with a space." },
    { secret: `"${secret}"`, text: "The client's secret stands in quotes, which count as part of it." },
    { secret: `'${secret}'`, text: "The client's secret stands in quotes, which count as part of it." },
    { secret: encodeURIComponent(secret), text: "The client's secret is percent-encoded." },
    {
      secret: secret.replaceAll('+', ' '),
      text: "The client's secret has spaces for its plus signs: it was decoded as a form.",
    },
    {
      secret: secret.trim(),
      text: 'The secret configured here has spaces or a line break around it, that of the client has not.',
    },
  ];
  return [...spoilt.filter((other) => other.secret !== secret), ...secretsOfOthers(accessKeyId, sources)];
}

/** Secrets of all other access keys, up to a bound. */
export function secretsOfOthers(accessKeyId: string, sources: DiagnosisSources): OtherSecret[] {
  const others: OtherSecret[] = [];
  for (const other of sources.credentials()) {
    if (others.length >= MAX_OTHERS) break;
    if (other.accessKeyId === accessKeyId) continue;
    others.push({
      secret: other.secretAccessKey,
      text: `Signed with the secret of the access key ${other.accessKeyId}, but names ${accessKeyId}.`,
    });
  }
  return others;
}
