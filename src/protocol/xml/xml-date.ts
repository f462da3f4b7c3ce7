/** `2009-10-12T17:50:30.000Z`: S3 always writes the millisecond field, as zeros. */
export function xmlDate(milliseconds: number): string {
  return new Date(milliseconds - (milliseconds % 1000)).toISOString();
}
