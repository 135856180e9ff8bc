/** Requirements on the first hour of a new user: id → source and behavior. */
export const firstUseRequirements = {} as const
