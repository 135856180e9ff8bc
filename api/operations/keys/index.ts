import { listKeys } from './list.ts'
import { publishKeys } from './publish.ts'
import { retireKey } from './retire.ts'
import { revokeKey } from './revoke.ts'

/** What operators do to the service's signing keys. */
export const keys = [listKeys, publishKeys, retireKey, revokeKey] as const
