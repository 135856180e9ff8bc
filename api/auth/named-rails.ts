import { type AnyOperation, waysOf } from '../operation.ts'
import { fieldsOfRails } from './rail-fields.ts'

type Input = Readonly<Record<string, unknown>>
/** The rails of a credential limit commands; a read shows every record of its agent. */
const commands = ({ idempotency }: AnyOperation): boolean => idempotency.kind !== 'read'

/** Whether a call of an agent can name rails, by itself or by the ids of what is bought, agreed on or run. */
export function namesRails(operation: AnyOperation): boolean {
  const { needs, input } = operation
  if (!waysOf(operation).includes('agent')) return false
  const fields = 'shape' in input ? Object.keys(input.shape as object) : []
  return (
    needs?.rail !== undefined ||
    (commands(operation) && fields.some((field) => fieldsOfRails.includes(field)))
  )
}

/** The rails that this input names; `ofIds` looks up those of the ids in it. */
export async function railsOf(
  operation: AnyOperation,
  input: unknown,
  ofIds: (input: Input) => Promise<string[]>,
): Promise<string[]> {
  const named = operation.needs?.rail?.(input) ?? []
  return [named, commands(operation) ? await ofIds(input as Input) : []].flat()
}
