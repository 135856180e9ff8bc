/** From what is sold to the proof of what was delivered, in this order; each stage is computed from its record. */
export const productStages = [
  'product_card',
  'quote',
  'checkout',
  'run',
  'return_package',
  'proof',
  'receipt',
] as const
export type ProductStage = (typeof productStages)[number]

/** `held`: a card that cannot be bought now, or a proof that waits for a payment or for a person. */
export const stageStates = ['to_do', 'done', 'held'] as const
export type StageState = (typeof stageStates)[number]
