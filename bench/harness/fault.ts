/** A reason why a comparison has no figure, as the sentence a person reads. */
export class BenchFault extends Error {
  override name = "BenchFault";
}
