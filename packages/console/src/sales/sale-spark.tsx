import { Spark } from '../charts/spark.tsx';

export interface SaleSparkProps {
  /** One value for each step; undefined if all are 0. */
  readonly values: readonly number[] | undefined;
  readonly label: string;
}

/** The course of a figure, without the step that is not over, which would look like a fall. */
export function SaleSpark({ values = [], label }: SaleSparkProps) {
  const closed = values.slice(0, -1);
  return closed.some((value) => value > 0) && <Spark values={closed} label={label} />;
}
