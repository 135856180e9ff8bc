/** Requirements on how keys are rotated, retired and revoked: id → source and behavior. */
export const keyStandingRequirements = {} as const
