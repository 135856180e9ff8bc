import { z } from 'zod'

// The policy of the page forbids code that is made of text, and a browser reports even the question whether it may be run.
z.config({ jitless: true })
