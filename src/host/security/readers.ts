// Who can read a file that holds a secret.
import {accountNames, othersWho, TO_READ} from './access.js'
import type {Security} from './security.js'

/** Accounts that are no administrators, for messages; '' where there are none. */
export async function readersOf(security: Pick<Security, 'account' | 'of'>, path: string): Promise<string> {
  const [account, sddl] = await Promise.all([security.account(), security.of(path)])
  return accountNames(othersWho(sddl, TO_READ, [account]))
}
