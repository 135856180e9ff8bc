const fields = ['wallet_id', 'entitlement_id', 'payment_reference_id', 'ap2_mandate_reference']

/** The wallets, credits and payment references that an input names to pay with. */
export function resourcesOf(input: Readonly<Record<string, unknown>>): string[] {
  const named = fields.map((field) => input[field])
  const paid = input['method'] === 'agent_allowance' ? [input['external_reference']] : []
  return [...named, ...paid].filter((name): name is string => typeof name === 'string')
}
