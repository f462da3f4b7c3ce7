import type { Sessions } from '../../access/sessions/sessions.ts';
import { StsError } from '../../errors/sts-error.ts';

/** @throws StsError NotImplemented: there are no keys to seal tokens with */
export function requireSessions(sessions: Sessions): void {
  if (!sessions.enabled) {
    throw new StsError(
      'NotImplemented',
      'This service issues no temporary credentials: its setting sts.keysFile is not set.',
    );
  }
}
