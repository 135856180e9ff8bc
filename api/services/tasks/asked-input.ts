import { type PointerError, refuse } from '#domain/core/errors.ts'
import { railOf } from '#domain/rails/index.ts'
import type { RailKey } from '#domain/rails/rail.ts'
import { checkInput, uploadsOf } from '#domain/rails/uploads.ts'
import { type CallbackHosts, checkCallbackUrl } from '../../../activities/callback/hosts.ts'

const FAULTS_SHOWN = 50

/** Throws 422 `input_rejected` with a pointer for each fault of an input that its rail cannot read; uploaded lists are read later. */
export function assertReadable(key: RailKey, input: Record<string, unknown>, at = '/input'): void {
  const rail = railOf(key)
  const { error } = checkInput(rail, input, uploadsOf(rail, input))
  if (error === undefined) return
  const escaped = (part: PropertyKey) => String(part).replaceAll('~', '~0').replaceAll('/', '~1')
  const errors: PointerError[] = error.issues.slice(0, FAULTS_SHOWN).map(({ path, message }) => ({
    pointer: [at, ...path.map(escaped)].join('/'),
    message,
  }))
  throw refuse('input_rejected', {
    detail: `the input has ${error.issues.length} faults`,
    next_action: `See rail-input-${key}.v1.json.`,
    errors,
  })
}

/** Throws 422 `callback_refused` for a callback URL that the preflight would refuse; `sandboxed`: only the demo receiver is allowed. */
export function assertCallback(hosts: CallbackHosts, url: string | null, sandboxed: boolean): void {
  const checked = url === null ? undefined : checkCallbackUrl(hosts, url, sandboxed)
  if (checked?.ok === false)
    throw refuse('callback_refused', {
      detail: checked.detail,
    })
}
