import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Refused } from './calls.ts'
import { router } from './router.tsx'
import './theme.css'

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      retry: (failures, error) => !(error instanceof Refused && error.status < 500) && failures < 3,
      staleTime: 1_000,
    },
  },
})

const place = document.getElementById('console')
if (place === null) throw new Error('the page has no place for the console')
createRoot(place).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
)
