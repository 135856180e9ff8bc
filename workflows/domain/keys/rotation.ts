/** The rings of signing keys of the service, one for each purpose. */
export const ringNames = [
  'receipt',
  'authority',
  'checkout',
  'callback',
  'agent-statement',
  'log',
] as const
export type RingName = (typeof ringNames)[number]

/** States of a rotation: asked for, the next key published, the next key signs, the previous key retired. */
export const rotationStates = ['requested', 'published', 'active', 'done'] as const
export type RotationState = (typeof rotationStates)[number]

/** The next step of an open rotation, by its state. */
export const rotationSteps = {
  requested: 'publishNextKey',
  published: 'activateNextKey',
  active: 'retirePreviousKey',
} as const satisfies Readonly<Record<Exclude<RotationState, 'done'>, string>>
