/** Requirements on quotes, keys and replays that belong to one caller: id → source and behavior. */
export const callerRequirements = {} as const
