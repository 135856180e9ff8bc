/**
 * `bound`: the item holds the claim word for word. `contradicted`: a sentence of the item that holds it denies it. `not_stated`: the item
 * does not hold it. `not_given`: the item is a digest alone. `unknown_item`: the package has no such item.
 */
export const claimStates = [
  'bound',
  'contradicted',
  'not_stated',
  'not_given',
  'unknown_item',
] as const
export type ClaimState = (typeof claimStates)[number]
