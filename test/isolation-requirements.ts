/** Requirements on rail work in processes of its own: id → source and behavior. */
export const isolationRequirements = {} as const
