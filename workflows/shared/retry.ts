/** Temporal's retry policy of a step; the interval doubles each time. */
export const retryOf = ({
  retryFirst,
  retryLongest,
}: {
  retryFirst: number
  retryLongest: number
}) => ({
  initialInterval: retryFirst,
  backoffCoefficient: 2,
  maximumInterval: retryLongest,
})
