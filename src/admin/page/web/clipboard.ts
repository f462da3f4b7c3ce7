/**
 * Browsers offer the clipboard to secure origins only; elsewhere the old way still works. Resolves to whether it was
 * copied.
 */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

function copyBySelection(text: string): boolean {
  const carrier = document.createElement('textarea');
  carrier.value = text;
  carrier.className = 'unseen';
  const before = document.activeElement;
  document.body.append(carrier);
  carrier.select();
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- no other way without a secure origin
  const copied = document.execCommand('copy');
  carrier.remove();
  if (before instanceof HTMLElement) before.focus();
  return copied;
}
