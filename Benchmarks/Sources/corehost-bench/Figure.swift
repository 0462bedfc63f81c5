/// One thing that is measured, with what it is held against.
struct Figure {
    enum Unit: String {
        case nanoseconds, bytes, perSecond
    }

    enum Goal {
        /// Ours over the reference's of the same run.
        case ratio(atMost: Double)
        /// The reference is of no concern.
        case value(atMost: Double)
        /// Shown only.
        case none
    }

    let id: String
    let title: String
    let unit: Unit
    let goal: Goal
}

/// What one run gave for one figure; `reference` is nil where there is none.
struct Sample {
    let ours: Double
    let reference: Double?
}

/// Samples by figure id, of what a benchmark said by those ids.
func samples(
    of figures: [Figure], _ ours: [String: Double], references: [String: Double]
) throws -> [String: Sample] {
    try Dictionary(
        uniqueKeysWithValues: figures.map { figure in
            guard let value = ours[figure.id] else { throw BenchError("the benchmark did not say \(figure.id)") }
            return (figure.id, Sample(ours: value, reference: references[figure.id]))
        })
}

/// A figure over all runs. Ratios are taken run by run, because both halves of a run met the same machine.
struct Outcome {
    let figure: Figure
    let samples: [Sample]

    var ours: Double { median(samples.map(\.ours)) }
    var reference: Double? { optionalMedian(samples.compactMap(\.reference)) }
    var ratio: Double? {
        optionalMedian(samples.compactMap { sample in sample.reference.map { sample.ours / $0 } })
    }

    /// Nil where there is no goal.
    var isMet: Bool? {
        switch figure.goal {
        case .ratio(let most): ratio.map { $0 <= most } ?? false
        case .value(let most): ours <= most
        case .none: nil
        }
    }
}

/// Of a list that is not empty.
func median(_ values: [Double]) -> Double {
    percentile(0.5, of: values)
}

private func optionalMedian(_ values: [Double]) -> Double? {
    values.isEmpty ? nil : median(values)
}

/// The smallest value that at least `share` of the list do not exceed; of a list that is not empty.
func percentile(_ share: Double, of values: [Double]) -> Double {
    precondition(!values.isEmpty, "a percentile of nothing")
    let rank = (share * Double(values.count)).rounded(.up)
    return values.sorted()[max(Int(rank), 1) - 1]
}
