// An image of ours goes, where nothing is to stay. One that somebody's container runs on is his by now.
import type {StepContext} from '../run/step.js'

export async function discardImage(context: StepContext, reference: string): Promise<void> {
  const {docker} = context.host
  if (!(await docker.image(reference))) return
  const inUse = await docker.removeImage(reference)
  if (inUse === undefined) context.changed(`remove the image ${reference}`)
  else context.warn(`the image ${reference} is kept because it is in use: ${inUse}`)
}
