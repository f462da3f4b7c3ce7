import { fingerprint, unescapeFully } from './fingerprint.ts';
import { redactNamed } from './redact-named.ts';

/**
 * Cheap looks before the patterns: no secret is known without one of these signs, and hardly any text holds one of
 * these words, too.
 */
const SIGN = /[=:@%'"]|-----|eyj|ya29|bearer|basic|negotiate|digest/i;
const SUSPECT =
  /sig|token|secret|pass|pwd|pw=|key|auth|cookie|assertion|credentials|connectionstring|bearer|basic|shared|session|sess?id|sid|jwt|otp|mfa|[cx]srf|psk|sas|eyj|ya29|aws |@|%/i;

/**
 * How much of a text is looked at unless its reader says otherwise, in UTF-16 code units: looking takes time, and
 * others choose the length. Longer than any legal target.
 */
export const LOOKED_AT = 8192;

/*
 * Every pattern takes time linear in the text: none can be tried twice over the same stretch. That is why the runs
 * before and behind a sign are either bounded or end at a character that the sign begins with.
 */

/** PEM, however its line breaks are written. */
const PRIVATE_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----[^]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g;
/** `Bearer xyz`; also account and signature of the shared key schemes. */
const SCHEME =
  /\b((?:Bearer|Basic|Negotiate|Digest|(?:SharedKey(?:Lite)?|GOOG1|AWS)\s+[\w.-]{1,128}:)\s*)([\w.~+/=%-]+)/gi;
/**
 * What Azure says of a signature of ours that it refuses: `The MAC signature found in the HTTP request 'xyz' is not the
 * same`.
 */
const QUOTED_SIGNATURE = /(signature\b[^'"\n]{0,60}['"])([\w+/=%-]{20,})(?=['"])/gi;
/** A token by its looks: Google's access tokens, and in runs with dots, JSON web tokens. */
const GOOGLE_TOKEN = /\bya29\.[\w.-]{8,}/g;
const DOTTED_RUN = /[\w-]{11,}(?:\.[\w-]*)*/g;
const TOKEN_START = /\beyJ(?=[\w-]{8})/;
const SECOND_PART = 4;
/** `pw%3dx`: name, escape, value. */
const SHORTEST_HIDDEN = 6;
/** `https://name:password@host` */
const USER_INFO = /(:\/\/[^/\s:@"']*:)([^/\s@"']+)(?=@)/g;
/**
 * What would not be known any more where the text was cut off within it; each begins where the text before it cannot go
 * on.
 */
const CUT = [
  /(:\/\/[^/\s:@"']*:)([^/\s@"']+)$/,
  /(signature\b[^'"\n]{0,60}['"])([\w+/=%-]+)$/i,
  /\b(ya29\.)([\w.-]+)$/,
];
/** What people write after the name of a scheme. */
const PLAIN_WORD =
  /^(?:tokens?|auth(?:entication|orization)?|scheme|realm|credentials?|access|challenge|error|is|was|in|for|and|or)$/i;

/**
 * Free text (a message of an error, a value that may be a URL) with all credentials replaced that can be known by
 * their name, their scheme or their looks. Rather takes too much than too little. Linear in the text's length.
 * @param atMost longer texts are cut off there, before anything is looked at, and end with an ellipsis; a credential
 *   that begins before the cut and would have ended behind it is replaced, too
 */
export function redactText(text: string, atMost = LOOKED_AT): string {
  const cut = text.length > atMost;
  return cut ? `${redactSuspect(text.slice(0, atMost), true)}…` : redactSuspect(text, false);
}

/** Journal, diagnosis and log look at the same long header of one request, one after the other. */
const LONG = 512;
let lastLooked = { text: '', cut: false, redacted: '' };

function redactSuspect(text: string, cut: boolean): string {
  if (text.length < LONG) return redactLooked(text, cut);
  if (lastLooked.cut !== cut || lastLooked.text !== text) lastLooked = { text, cut, redacted: redactLooked(text, cut) };
  return lastLooked.redacted;
}

function redactLooked(text: string, cut: boolean): string {
  if (!SIGN.test(text) || !SUSPECT.test(text)) return text;
  const plain = redactPlain(text, cut);
  return plain.includes('%')
    ? plain.replaceAll(/[^\s<>"']+/g, (word) => (hidesSecret(word, cut) ? fingerprint(word) : word))
    : plain;
}

function redactPlain(whole: string, cut: boolean): string {
  const redacted = redactNamed(whole.replaceAll(PRIVATE_KEY, (key) => fingerprint(key)))
    .replaceAll(SCHEME, (all, scheme: string, value: string) =>
      PLAIN_WORD.test(value) ? all : `${scheme}${fingerprint(value)}`,
    )
    .replaceAll(QUOTED_SIGNATURE, (_, before: string, signature: string) => `${before}${fingerprint(signature)}`)
    .replaceAll(GOOGLE_TOKEN, (token) => fingerprint(token))
    .replaceAll(DOTTED_RUN, (run, at: number, all: string) => redactRun(run, at + run.length === all.length))
    .replaceAll(USER_INFO, (_, before: string, password: string) => `${before}${fingerprint(password)}`);
  return cut
    ? CUT.reduce(
        (text, pattern) =>
          text.replace(pattern, (_, before: string, secret: string) => `${before}${fingerprint(secret)}`),
        redacted,
      )
    : redacted;
}

/**
 * Words joined by dots: from where a JSON web token begins, all is taken. At the end of the text its second part may be
 * missing.
 */
function redactRun(run: string, endsText: boolean): string {
  if (!run.includes('eyJ')) return run;
  const parts = run.split('.');
  let start = 0;
  for (const [index, part] of parts.entries()) {
    const at = part.search(TOKEN_START);
    const next = parts[index + 1];
    if (
      at >= 0 &&
      (next === undefined ? endsText : next.length >= SECOND_PART || (endsText && index + 2 === parts.length))
    ) {
      return run.slice(0, start + at) + fingerprint(run.slice(start + at));
    }
    start += part.length + 1;
  }
  return run;
}

/** Whether a word shows a secret once its escapes are undone. */
function hidesSecret(word: string, cut: boolean): boolean {
  if (word.length < SHORTEST_HIDDEN || !word.includes('%')) return false;
  const plain = unescapeFully(word);
  return plain !== word && SIGN.test(plain) && SUSPECT.test(plain) && redactPlain(plain, cut) !== plain;
}
