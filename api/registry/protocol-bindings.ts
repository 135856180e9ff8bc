import { type ProtocolBinding, protocolBindings, provenBy } from '#domain/commerce/missions.ts'
import { ENDPOINT } from '../mcp-protocol.ts'
import type { AnyOperation } from '../operation.ts'
import type { ProtocolBindingView } from '../shapes/protocol-bindings.ts'

/** Where this service speaks each protocol, and the payment that proves it; a protocol whose operation is not there has no URL. */
export function bindingsOf(
  registry: readonly AnyOperation[],
  baseUrl: string,
): ProtocolBindingView[] {
  const urlOf = (isOne: (operation: AnyOperation) => boolean) => {
    const found = registry.find(isOne)
    return found === undefined ? null : baseUrl + found.http.path
  }
  const hasTools = registry.some(({ tool }) => tool !== undefined)
  const payments = urlOf(({ id }) => id === 'payment-reference-create')
  const known: Record<ProtocolBinding, Omit<ProtocolBindingView, 'binding'>> = {
    mcp: { url: hasTools ? baseUrl + ENDPOINT : null, held_against: null },
    http: { url: urlOf(({ id }) => id === 'openapi'), held_against: null },
    a2a: { url: urlOf(({ id }) => id === 'agent-card'), held_against: null },
    x402: { url: payments, held_against: provenBy.x402 },
    ap2: { url: payments, held_against: provenBy.ap2 },
  }
  return protocolBindings.map((binding) => ({ binding, ...known[binding] }))
}
