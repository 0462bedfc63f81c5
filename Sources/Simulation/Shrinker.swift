/// The shortest list of inputs that still breaks something, by delta debugging: parts are left out as long as what is left
/// breaks it too. The same for the same list.
struct Shrinker {
    /// Runs at most; what is left then is the answer.
    let most: Int
    private(set) var runs = 0

    init(most: Int) { self.most = most }

    mutating func shrink(_ inputs: [Input], breaks: ([Input]) -> Bool) -> [Input] {
        var left = inputs
        var parts = 2
        while !left.isEmpty, runs < most {
            let size = max(1, (left.count + parts - 1) / parts)
            var hasShrunk = false
            var start = 0
            while start < left.count, runs < most {
                let without = Array(left[..<start] + left[min(start + size, left.count)...])
                runs += 1
                if breaks(without) {
                    left = without
                    hasShrunk = true
                } else {
                    start += size
                }
            }
            if hasShrunk {
                parts = max(2, parts - 1)
            } else if size == 1 {
                break
            } else {
                parts = min(parts * 2, left.count)
            }
        }
        return left
    }
}
