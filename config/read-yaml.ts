import { parse, YAMLParseError } from 'yaml';
import { ConfigError } from './setting-lines.ts';

/**
 * Reads text of the configuration as YAML. The parser's message is left out, and its error is not kept as the cause:
 * both quote the text, which may contain secrets.
 * @param where what the text is, for the message: a file or a variable
 * @throws ConfigError
 */
export function readYaml(text: string, where: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    throw new ConfigError([`${where}: is not YAML${placeOf(error)}`]);
  }
}

function placeOf(error: unknown): string {
  if (!(error instanceof YAMLParseError)) return '';
  const place = error.linePos?.[0];
  return place === undefined ? ` (${error.code})` : `: line ${place.line}, column ${place.col} (${error.code})`;
}
