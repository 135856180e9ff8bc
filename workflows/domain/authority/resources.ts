const fields = ['wallet_id', 'entitlement_id', 'payment_reference_id', 'ap2_mandate_reference']

/** What stands for the wallet in a presented AP2 mandate, which is not read before it is verified. */
const AP2_RESOURCE = 'ap2_mandate'

/** The wallets, credits and payment references that an input names to pay with. */
export function resourcesOf(input: Readonly<Record<string, unknown>>): string[] {
  const named = fields.map((field) => input[field])
  const isAllowance = input['method'] === 'agent_allowance'
  const paid = isAllowance ? [input['external_reference'], input['payer']] : []
  const { presentation } = Object(input['evidence']) as { presentation?: unknown }
  const presented = presentation === undefined ? [] : [AP2_RESOURCE]
  return [...named, ...paid, ...presented].filter(
    (name): name is string => typeof name === 'string',
  )
}
