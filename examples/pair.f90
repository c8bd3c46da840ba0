! SPDX-License-Identifier: Apache-2.0
program pair ! two opposite charges in a cube of edge 10, and their images
  use farsum
  implicit none
  real(8) :: x(3, 2) = reshape([1, 2, 3, 4, 5, 6], [3, 2]), q(2) = [1, -1]
  real(8) :: phi(2), e(3, 2)
  type(farsum_problem) :: problem
  type(farsum_plan) :: plan
  problem%cell = reshape([10, 0, 0, 0, 10, 0, 0, 0, 10], [3, 3])
  problem%periodic = 1
  problem%tolerance = 1d-8
  call plan%create(problem, x, q)
  call plan%set_points(x)
  call plan%execute(q, potential=phi, field=e)
  print '(a, 2f10.6, a, f9.5)', 'potentials', phi, ', field', e(1, 1)
end program
