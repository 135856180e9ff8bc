/** Requirements on where the product follows the two documents to the letter: id → source and behavior. */
export const conformanceRequirements = {} as const
